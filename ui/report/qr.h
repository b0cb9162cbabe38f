/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The digest of the saved certificate: its digits, and where there is room, half blocks and the
 * library, a QR code of them. */
#pragma once

#include "report/report.h"

#include "ui/core/draw.h"

void qr_draw(struct draw *draw, struct rect body, const struct report_files *files);
