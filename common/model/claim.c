#include "common/model/claim.h"

#include <math.h>

struct claim_finding claim_judge(const struct claim *claim, double over_ns, double ns, bool gpu)
{
	double ratio = over_ns / ns;
	bool within = ratio >= claim->at_least && (claim->at_most == 0 || ratio <= claim->at_most);

	if (!isfinite(ratio))
		return (struct claim_finding){NAN, CLAIM_NOT_APPLICABLE};
	if (!gpu)
		return (struct claim_finding){ratio, CLAIM_NOT_APPLICABLE};
	return (struct claim_finding){ratio, within ? CLAIM_HOLDS : CLAIM_FAILS};
}
