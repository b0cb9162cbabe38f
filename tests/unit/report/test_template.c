/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates: values are escaped, sections are told or not, and a name that nobody knows is found.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/template.h"

static const struct {
	const char *template, *page;
	int result;
} cases[] = {
	{ "plain {} }} {", "plain {} }} {", 0 },
	{ "<b>{{text}}</b>", "<b>&quot;&gt;&lt;i&gt;&amp;&#39;%1B</b>", 0 },
	{ "{{! {{text}} }}x", " }}x", 0 },
	{ "{{count|count}} {{count|ms}} {{count|si}}", "1,234,567 1.23 1.23 MB", 0 },
	{ "{{_(\"a \\\"word\\\" < none\")}}", "a &quot;word&quot; &lt; none", 0 },
	{ "{{#list}}\n{{.}},{{/list}}\n.", "1,2,.", 0 },
	{ "{{#items}}{{name}}{{zero}} {{#items}}x{{/items}}{{/items}}", "a0 xxb0 xx", 0 },
	{ "{{#empty}}x{{/empty}}{{^empty}}none{{/empty}}", "none", 0 },
	{ "{{#null}}x{{/null}}{{#no}}x{{/no}}{{#none}}x{{/none}}{{null}}", "", 0 },
	{ "{{#zero}}it is {{zero}}{{/zero}}", "it is 0", 0 },
	{ "{{unknown}}", NULL, -EINVAL },
	{ "{{#unknown}}x{{/unknown}}", NULL, -EINVAL },
	{ "{{text|loud}}", NULL, -EINVAL },
	{ "{{#list}}x", NULL, -EINVAL },
	{ "x{{/list}}", NULL, -EINVAL },
};

TEST_ROWS(renders, ARRAY_SIZE(cases))
{
	json_object *root = json_tokener_parse(
		"{\"text\": \"\\\"><i>&'\\u001b\", \"count\": 1234567, \"list\": [1, 2],"
		" \"items\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"empty\": [], \"null\": null,"
		" \"no\": false, \"none\": \"\", \"zero\": 0}");
	char *page = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&page, &size);

	ck_assert_ptr_nonnull(root);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(template_render(cases[_i].template, root, out), cases[_i].result);
	ck_assert_int_eq(fclose(out), 0);
	if (cases[_i].page)
		ck_assert_str_eq(page, cases[_i].page);
	free(page);
	json_object_put(root);
}
