/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session that only reads: is a copy what its source is, or was? */
#pragma once

#include "job/job.h"
#include "session/choose.h"

/*
 * Only reads, in the background:
 * - of a plan (SESSION_PLANNED) both ends, and compares them instead of copying, whatever made the
 *   copy; of a plan from a report, the destination. Of the plan's options, its rate, retries and
 *   checksums count. What was found ends the plan (SESSION_FINISHED, without a report); if it could
 *   not start, the state is as before. Refusals that also concern reading are errors (-EBUSY, class
 *   REFUSED).
 * - of a copy that has ended (SESSION_FINISHED with a report) the destination once more, and
 *   compares it with the digests of the source; without a saved list of these
 *   (report.job.digests_saved), both ends, which makes sense only for a complete copy. The report
 *   stays as it is; the log gets some lines.
 * The same again of what was compared so. The state is SESSION_VERIFYING, session_copy().job is its
 * job once both ends are open, and session_finish() ends it once session_can_finish().
 * SESSION_CHANGE_STATE announces the end: session_copy().verified, or
 * session_error(SESSION_TASK_VERIFY) why it could not start.
 */
int session_verify(struct session *session, struct error *reterr);
