/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: a disk of the report with its nodes and its health, and the map of the source. */
#include "report/json_private.h"

json_object *report_json_health(const struct health *health)
{
	json_object *object;

	if (!health_is_known(health))
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "time", report_json_time(health->time));
	json_object_object_add(object, "passed", report_json_tristate(health->passed));
	for (int i = 0; i < HEALTH_FIELDS; i++)
		json_object_object_add(object, health_field_name((enum health_field)i),
				       health->values[i] == HEALTH_UNKNOWN
					       ? NULL
					       : json_object_new_int64(health->values[i]));
	return object;
}

json_object *report_json_disk(const struct endpoint *endpoint, const struct report_disk *disk)
{
	json_object *object = report_json_endpoint(endpoint);

	json_object_object_add(object, "transport", report_json_text(disk->transport));
	json_object_object_add(object, "hctl", report_json_text(disk->hctl));
	json_object_object_add(object, "bsg", report_json_text(disk->bsg));
	json_object_object_add(object, "ng", report_json_text(disk->nvme_generic));
	json_object_object_add(object, "raw", report_json_text(endpoint->raw));
	json_object_object_add(object, "by_id", report_json_text(disk->by_id));
	json_object_object_add(object, "path", report_json_text(disk->path));
	json_object_object_add(object, "rotational", report_json_tristate(disk->rotational));
	json_object_object_add(object, "health_before", report_json_health(&disk->before));
	json_object_object_add(object, "health_after", report_json_health(&disk->after));
	return object;
}

json_object *report_json_map(const struct report *report)
{
	json_object *object;

	if (!report->map_cells[0])
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "bytes", report->plan->source.size);
	json_object_object_add(object, "cells", json_object_new_string(report->map_cells));
	return object;
}
