import { parse, render } from 'velocityjs';
import { isObject } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';

/** What a mapping template reads. */
export interface TemplateInput {
  /** The payload as text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly extendedRequestId: string;
  readonly requestTimeEpoch: number;
}

export interface RenderedTemplate {
  readonly text: string;
  /** The status that the template sets instead of that of its integration response. */
  readonly status: number | undefined;
}

export type MappingTemplate = (input: TemplateInput) => RenderedTemplate;

/**
 * The variables and functions that templates can use, by what they begin with. `#set` and `#foreach` add variables,
 * which are strings or maps.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
const REFERENCES: Readonly<Record<string, RegExp>> = {
  input: /^body$|^params\(\)(\.get\(\))*$/,
  util: /^(urlEncode|base64Encode)\(\)$/,
  context: /^(extendedRequestId|requestTimeEpoch|responseOverride\.status)$/,
};
const OF_VARIABLES = /^$|^(get|keySet|toLowerCase|indexOf)\(\)$/;

const DIRECTIVES = ['set', 'foreach', 'if', 'elseif', 'else', 'math', 'string', 'integer'];

/**
 * Compiles a mapping template of API Gateway.
 *
 * @param place where the template is, for errors
 * @throws LocalError if the template uses anything that the local run does not know.
 */
export const compileMappingTemplate = (template: string, place: string): MappingTemplate => {
  const variables = new Set<string>();
  check(parse(template), variables, place);
  return (input) => {
    const statuses: number[] = [];
    const context = {
      extendedRequestId: input.extendedRequestId,
      requestTimeEpoch: input.requestTimeEpoch,
      responseOverride: {
        set status(status: number) {
          statuses.push(status);
        },
      },
    };
    const text = render(template, {
      context,
      input: {
        body: input.body,
        params: () =>
          mapOf({ header: mapOf(input.headers), path: mapOf(input.pathParameters), querystring: mapOf({}) }),
      },
      util: {
        urlEncode: (value: unknown) => encodeURIComponent(String(value ?? '')),
        base64Encode: (value: unknown) => Buffer.from(String(value ?? '')).toString('base64'),
      },
    });
    if (statuses.length > 1) throw new LocalError(`${place}: ${OVERRIDDEN_TWICE}`);
    return { text, status: statuses[0] };
  };
};

/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-override-request-response-parameters.html */
const OVERRIDDEN_TWICE =
  'the template sets $context.responseOverride.status a second time, to which API Gateway answers 5xx.';

/** The part of a Java map that templates use. */
const mapOf = <Value>(values: Readonly<Record<string, Value>>) => ({
  keySet: () => Object.keys(values),
  get: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined),
});

/** Checks a node of the template's syntax tree and everything in it. */
const check = (node: unknown, variables: Set<string>, place: string): void => {
  if (Array.isArray(node)) {
    for (const one of node) check(one, variables, place);
    return;
  }
  if (!isObject(node)) return;
  const { type, id, to } = node;
  if (type === 'foreach') variables.add(String(to));
  if (type === 'set') {
    const [target] = Array.isArray(node.equal) ? node.equal : [];
    if (isObject(target) && target.path === undefined) variables.add(String(target.id));
  }
  if (type === 'references') checkReference(String(id), node.path, variables, place);
  else if (typeof type === 'string' && !DIRECTIVES.includes(type) && type !== 'method' && type !== 'property') {
    throw notSupported(place, `#${type}`);
  }
  for (const [name, child] of Object.entries(node)) if (name !== 'pos') check(child, variables, place);
};

const checkReference = (root: string, path: unknown, variables: ReadonlySet<string>, place: string): void => {
  const parts = (Array.isArray(path) ? path : []).map((part) => {
    if (!isObject(part)) return '?';
    return part.type === 'method' ? `${part.id}()` : part.type === 'property' ? String(part.id) : '?';
  });
  const allowed = REFERENCES[root] ?? (variables.has(root) ? OF_VARIABLES : undefined);
  if (allowed?.test(parts.join('.'))) return;
  throw notSupported(place, `$${[root, ...parts].join('.')}`);
};

const notSupported = (place: string, what: string): LocalError =>
  new LocalError(
    `${place}: the local run does not support ${what} in a mapping template. Add it to local/rest-api/mapping-template.ts ` +
      'with its source in the AWS documentation.',
  );
