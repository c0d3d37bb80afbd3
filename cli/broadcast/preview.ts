import type { SendRequest } from '../../lambdas/domain/send-request.ts';
import { count } from '../base/command.ts';
import type { BroadcastPlan, PreviewedRow } from './plan.ts';
import { countRefused, describeRefused } from './refused-rows.ts';

/** Describes the first rows as they would be sent, and the faulty ones. */
export const describePlan = (file: string, { rows, refused, preview }: BroadcastPlan): readonly string[] => {
  const faulty = countRefused(refused);
  return [
    `${file}: ${count(rows, 'row')}. The first:`,
    ...preview.map(describeRow),
    ...(faulty === 0
      ? []
      : [`${count(faulty, 'row')} cannot be sent and will be skipped:`, ...describeRefused(refused)]),
  ];
};

const describeRow = ({ number, request }: PreviewedRow): string =>
  request.kind === 'refused'
    ? `  row ${number}: ${request.why}`
    : `  row ${number}, ${request.contact}: ${describeMessage(request.request)}`;

/** Describes what a request would send, such as `Hi Ana or template hello (name: Ana)`. */
const describeMessage = (request: SendRequest): string => {
  const { messageText, imageURL, audioURL, fileURL, ruleNameOrId, params = {} } = request;
  const media = { image: imageURL, audio: audioURL, file: fileURL };
  const freeForm = [
    ...(messageText === undefined ? [] : [messageText]),
    ...Object.entries(media).flatMap(([kind, url]) => (url === undefined ? [] : [`${kind} ${url}`])),
  ].join(', ');
  const variables = Object.entries(params).map(([name, value]) => `${name}: ${value}`);
  const template =
    ruleNameOrId && `template ${ruleNameOrId}${variables.length > 0 ? ` (${variables.join(', ')})` : ''}`;
  return [freeForm, template].filter(Boolean).join('; outside the window, ');
};
