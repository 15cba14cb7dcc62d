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
    const on = {'on-requested': 'requested', 'on-extra': 'extra', 'on-sector': 'sector',
        'on-waits': 'waits'};
    for (const element of document.querySelectorAll('body *')) {
        const style = getComputedStyle(element);
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const drawing = element.closest('svg');
        const box = on[element.getAttribute('class')];
        if (own && box) {
            const below = getComputedStyle(drawing.querySelector('.' + box)).fill;
            if (ratio(style.fill, below) < 4.5) wrong['on ' + box] = ratio(style.fill, below);
            texts++;
        } else if (own && (!drawing || element.tagName === 'text')) {
            check(element, drawing ? style.fill : style.color, 4.5);
            texts++;
        }
        if (drawing && element.tagName === 'path' &&
                !element.matches('.gridline, .idle, .leader')) {
            check(element, style.stroke === 'none' || element.matches('.mark:not(.open), .requested, .extra')
                ? style.fill : style.stroke, 3);
            marks++;
        }
    }
    return {wrong, texts, marks};
})()"""

# Charts that have a place and no drawing.
EMPTY_CHARTS = """[...document.querySelectorAll('.chart')].filter(c => !c.querySelector('svg'))
    .map(c => JSON.stringify(c.dataset))"""

# Texts of charts that overlap another text of the chart or leave the drawing.
OVERLAPS = """(() => {
    const wrong = [];
    for (const svg of document.querySelectorAll('.chart svg')) {
        const edge = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim())
            .map(t => ({text: t.textContent, box: t.getBoundingClientRect()}));
        const name = svg.getAttribute('aria-label') + ': ';
        for (const {text, box} of texts)
            if (box.left < edge.left - 3 || box.right > edge.right + 3 || text.endsWith('\u2026'))
                wrong.push(name + 'cut: ' + text);
        texts.sort((a, b) => a.box.top - b.box.top);
        texts.forEach((a, i) => {
            for (let k = i + 1; k < texts.length && texts[k].box.top < a.box.bottom - 4; k++) {
                const b = texts[k];
                if (a.box.left < b.box.right - 2 && b.box.left < a.box.right - 2)
                    wrong.push(name + a.text + ' / ' + b.text);
            }
        });
    }
    return wrong.slice(0, 20);
})()"""

LABELS = """[...document.querySelectorAll(
        'a, summary, button, svg[role=img], table, nav, [tabindex], [role=region], [role=group]')]
    .filter(e => !(e.getAttribute('aria-label') ||
        (e.getAttribute('aria-labelledby') || '').split(' ').some(
            id => id && document.getElementById(id).textContent.trim()) ||
        (e.tagName === 'TABLE' ? e.caption && e.caption.textContent.trim() : e.textContent.trim())))
    .map(e => e.outerHTML.slice(0, 80))"""
