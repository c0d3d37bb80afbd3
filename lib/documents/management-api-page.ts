import type { RouteDescription } from '../../lambdas/manage/api/define-route.ts';
import type { RouteName } from '../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../lambdas/manage/api/routes.ts';
import { statusOf } from './management-api-document.ts';
import { ROUTE_SAMPLES } from './management-api-samples.ts';
import { TAGS } from './management-api-tags.ts';
import { jsonBlock, withGenerated, wrap } from './markdown.ts';

/** Returns docs/management-api.md with the generated part replaced: every route with a sample call and its answer. */
export function managementApiPage(page: string): string {
  const sections = Object.entries(TAGS).map(([tag, names]) => `### ${tag}\n\n${names.map(section).join('\n\n')}\n`);
  return withGenerated(page, sections.join('\n'));
}

function section(name: RouteName): string {
  const described: RouteDescription = ROUTES[name];
  const { route, summary, description } = described;
  const { request, response } = ROUTE_SAMPLES[name];
  return [
    `#### ${route.replace('+}', '}')}`,
    `${summary}.`,
    ...(description === undefined ? [] : [wrap(description)]),
    `\`\`\`http\n${call(name)}\n\`\`\``,
    ...(request === undefined ? [] : [jsonBlock(request)]),
    `Response, with the status ${statusOf(ROUTE_SAMPLES[name], described)}:`,
    jsonBlock(response),
  ].join('\n\n');
}

function call(name: RouteName): string {
  const { id = '', query = {} } = ROUTE_SAMPLES[name];
  const path = ROUTES[name].route.replace(/\{.*\}/, id);
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}
