#include "common/model/fleet.h"

#include "common/model/verdict.h"

/* ---- Devices ------------------------------------------------------------------------------- */

#define NO_RANK ((size_t)-1)

struct assignment {
	struct fleet_seat *seats;
	size_t owner[FLEET_MAX_DEVICES]; /* the rank that has the device for itself, or NO_RANK */
	bool seen[FLEET_MAX_DEVICES];    /* devices that this search has tried */
};

static bool take(struct assignment *assignment, size_t rank, size_t index)
{
	assignment->owner[assignment->seats[rank].devices[index]] = rank;
	assignment->seats[rank].choice = index;
	return true;
}

/* Finds a device for a rank: one that is free, else one whose rank moves to another device. */
static bool find_own(struct assignment *assignment, size_t rank)
{
	const struct fleet_seat *seat = &assignment->seats[rank];

	for (size_t i = 0; i < seat->device_count; i++)
		if (assignment->owner[seat->devices[i]] == NO_RANK)
			return take(assignment, rank, i);
	for (size_t i = 0; i < seat->device_count; i++) {
		size_t device = seat->devices[i];
		if (assignment->seen[device])
			continue;
		assignment->seen[device] = true;
		if (find_own(assignment, assignment->owner[device]))
			return take(assignment, rank, i);
	}
	return false;
}

static void take_least_used(struct fleet_seat *seat, const size_t *users)
{
	seat->choice = 0;
	for (size_t i = 1; i < seat->device_count; i++)
		if (users[seat->devices[i]] < users[seat->devices[seat->choice]])
			seat->choice = i;
}

void fleet_assign(struct fleet_seat *seats, size_t count)
{
	struct assignment assignment = {.seats = seats};
	size_t users[FLEET_MAX_DEVICES] = {0};

	for (size_t i = 0; i < FLEET_MAX_DEVICES; i++)
		assignment.owner[i] = NO_RANK;
	for (size_t rank = 0; rank < count; rank++) {
		for (size_t i = 0; i < FLEET_MAX_DEVICES; i++)
			assignment.seen[i] = false;
		seats[rank].rank_count = find_own(&assignment, rank);
	}
	for (size_t rank = 0; rank < count; rank++)
		if (seats[rank].rank_count)
			users[seats[rank].devices[seats[rank].choice]]++;
	for (size_t rank = 0; rank < count; rank++) {
		if (seats[rank].rank_count || seats[rank].device_count == 0)
			continue;
		take_least_used(&seats[rank], users);
		users[seats[rank].devices[seats[rank].choice]]++;
	}
	for (size_t rank = 0; rank < count; rank++)
		if (seats[rank].device_count)
			seats[rank].rank_count = users[seats[rank].devices[seats[rank].choice]];
}

/* ---- Stragglers ---------------------------------------------------------------------------- */

bool fleet_is_straggler(const struct repetition_estimate *estimates, size_t count, size_t index,
	const char *device_type, struct repetition_ratio *ret_ratio)
{
	const size_t typical = (count - 1) / 2;
	const struct verdict_limits limits = verdict_limits_of(device_type);

	*ret_ratio = repetition_ratio_of(&estimates[index], &estimates[typical]);
	return index != typical &&
	       verdict_of(ret_ratio->ci95, ret_ratio->ci99, &limits) == VERDICT_SLOW;
}
