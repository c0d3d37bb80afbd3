import type { SendRequest } from '../../lambdas/domain/send-request.ts';
import type { RowMessage } from './template.ts';

/** A row that an operator should see before the broadcast is sent. */
export interface PreviewedRow {
  readonly number: number;
  /** Why it was chosen; empty for the first rows. */
  readonly label: string;
  readonly request: SendRequest;
}

type Message = Extract<RowMessage, { kind: 'message' }>;

/** Rows that look as if something went wrong. The first one of each kind is shown. */
const ODDITIES: readonly { readonly label: string; readonly isOdd: (message: Message) => boolean }[] = [
  {
    // UTF-8 that was read as windows-1252, and accents that became question marks.
    label: 'looks damaged',
    isOdd: ({ values }) => values.some((value) => /[ÃÂ][\u0080-\u00bf€-™]|â€|\p{L}\?\p{L}/u.test(value)),
  },
  {
    label: 'unusual characters',
    isOdd: ({ values }) => values.some((value) => /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]|[{}<>]|&\w+;/u.test(value)),
  },
  {
    label: 'non-Latin letters',
    isOdd: ({ values }) => values.some((value) => /(?!\p{Script=Latin})\p{L}/u.test(value)),
  },
];

const FIRST_ROWS = 2;
const FIRST = 'first';

/** Chooses the rows to show: the first, the longest, and the strangest ones. */
export const choosePreview = () => {
  const first: PreviewedRow[] = [];
  const odd = new Map<string, PreviewedRow>();
  const extremes = {
    longest: { size: 0, row: undefined as PreviewedRow | undefined },
    'shortest contact': { size: 0, row: undefined as PreviewedRow | undefined },
  };
  const keep = (label: keyof typeof extremes, size: number, row: PreviewedRow) => {
    const { row: kept, size: largest } = extremes[label];
    if (kept === undefined || size > largest) extremes[label] = { size, row };
  };
  return {
    add(number: number, message: Message): void {
      const { request, values } = message;
      if (first.length < FIRST_ROWS) first.push({ number, label: FIRST, request });
      keep('longest', values.join('').length, { number, label: 'longest', request });
      keep('shortest contact', -request.platformContactId.length, { number, label: 'shortest contact', request });
      for (const { label, isOdd } of ODDITIES) {
        if (!odd.has(label) && isOdd(message)) odd.set(label, { number, label, request });
      }
    },
    /** Returns each row once, in the order of the file. */
    chosen(): readonly PreviewedRow[] {
      const isFirst = ({ number }: PreviewedRow) => first.some((row) => row.number === number);
      const others = Object.values(extremes).flatMap(({ row }) => (row === undefined || isFirst(row) ? [] : [row]));
      const all = [...first, ...odd.values(), ...others];
      const byNumber = Map.groupBy(all, ({ number }) => number);
      return [...byNumber.values()]
        .flatMap((rows) => {
          const labels = rows.map(({ label }) => label).filter((label) => label !== FIRST);
          return rows.slice(0, 1).map((row) => ({ ...row, label: labels.join(', ') }));
        })
        .toSorted((one, other) => one.number - other.number);
    },
  };
};

export const describePreviewed = ({ number, label, request }: PreviewedRow): string =>
  `  row ${number}${label === '' ? '' : ` (${label})`}, ${request.platformContactId}: ${describeMessage(request)}`;

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
