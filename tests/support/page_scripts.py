"""Scripts that tests run in a page in Chromium (browser.py): contrast, and names of elements."""

CONTRAST = """(() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const parse = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return canvas.getImageData(0, 0, 1, 1).data;
    };
    const light = (colour) => {
        const c = [...parse(colour)].slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    };
    const back = (element) => {
        for (; element; element = element.parentElement) {
            const colour = getComputedStyle(element).backgroundColor;
            if (parse(colour)[3] === 255) return colour;
        }
        return 'white';
    };
    const ratio = (a, b) => {
        const [x, y] = [light(a), light(b)];
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    };
    const wrong = {};
    const check = (element, colour, least) => {
        const found = ratio(colour, back(element));
        if (found < least)
            wrong[element.tagName + '.' + element.getAttribute('class') + ' ' + colour] = found;
    };
    let texts = 0, marks = 0;
    for (const element of document.querySelectorAll('body *')) {
        const style = getComputedStyle(element);
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const drawing = element.closest('svg');
        if (element.closest('.lanes')) continue;  // LANE_CONTRAST checks it
        if (own && (!drawing || element.tagName === 'text')) {
            check(element, drawing ? style.fill : style.color, 4.5);
            texts++;
        }
        if (drawing && element.tagName === 'path' &&
                !element.classList.contains('i9')) {
            check(element, element.classList.contains('l') ? style.stroke : style.fill, 3);
            marks++;
        }
    }
    return {wrong, texts, marks};
})()"""

# Measures the contrast of texts with the boxes below them, of other texts with the page, and of boxes
# (colour or outline) with the page. A text needs 4.5, and a box needs 3.
LANE_CONTRAST = """(() => {
    const light = (colour) => {
        const c = colour.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    };
    const page = getComputedStyle(document.body).backgroundColor;
    const wrong = {};
    let texts = 0, boxes = 0;
    const check = (name, a, b, least) => {
        const [x, y] = [light(a), light(b)];
        const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
        if (ratio < least) wrong[name] = ratio;
    };
    const fill = (name) => getComputedStyle(document.querySelector('.lanes .' + name)).fill;
    for (const text of document.querySelectorAll('.lanes text')) {
        const on = text.parentElement.classList[0].match(/^on-(.*)/);
        check('text ' + text.parentElement.classList[0], getComputedStyle(text).fill,
            on ? fill(on[1]) : page, 4.5);
        texts++;
    }
    for (const box of document.querySelectorAll('.lanes path:not(.banks)')) {
        const style = getComputedStyle(box);
        check('box ' + box.classList[0], style.stroke === 'none' ? style.fill : style.stroke, page, 3);
        boxes++;
    }
    return {wrong, texts, boxes};
})()"""

LABELS = """[...document.querySelectorAll(
        'a, summary, svg[role=img], table, nav, [tabindex], [role=region], [role=group]')]
    .filter(e => !(e.getAttribute('aria-label') ||
        (e.getAttribute('aria-labelledby') || '').split(' ').some(
            id => id && document.getElementById(id).textContent.trim()) ||
        (e.tagName === 'TABLE' ? e.caption && e.caption.textContent.trim() : e.textContent.trim())))
    .map(e => e.outerHTML.slice(0, 80))"""
