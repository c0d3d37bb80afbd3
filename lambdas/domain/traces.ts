import { isPhone, legible, plainAddress } from './address.ts';
import { addressVariants, contactKey } from './contact.ts';
import { type NestedText, nestedTexts, stringsIn } from './nested-text.ts';

export interface Wanted {
  /** The user's ids: a phone number is found in any spelling, any other id as it is. */
  readonly ids: readonly string[];
  /** What the user or the business wrote, and anything else that must not be there. */
  readonly texts?: readonly string[];
}

/** Searches values and texts for traces of a user. */
export interface TraceSearch {
  /** Returns the names of the fields with a trace, or an empty name for one outside of any field. */
  inValue(value: unknown): readonly string[];
  inText(text: string): readonly string[];
}

/** Creates a search that finds the ids and texts in any encoding. */
export const createTraceSearch = ({ ids, texts = [] }: Wanted): TraceSearch => {
  const isTrace = [...ids.map(searchId), ...texts.map((wanted) => (text: string) => text.includes(wanted))];
  const fieldsOf = (found: Iterable<NestedText>): readonly string[] => {
    const fields = new Set<string>();
    for (const { field = '', text } of found) {
      if (!fields.has(field) && isTrace.some((matches) => matches(text))) fields.add(field);
    }
    return [...fields];
  };
  return { inValue: (value) => fieldsOf(stringsIn(value)), inText: (text) => fieldsOf(nestedTexts(text)) };
};

const searchId = (id: string): ((text: string) => boolean) => {
  const plain = plainAddress(id);
  if (!isPhone(plain)) return (text) => text.includes(id);
  const numbers = new RegExp(`(?<!\\d)(?:00)?(?:${addressVariants(contactKey(plain)).join('|')})(?!\\d)`);
  return (text) =>
    text.includes(id) || numbers.test(text) || numbers.test(legible(text).replace(TRUNK, '').replace(PUNCTUATION, ''));
};

/** The trunk prefix inside a phone number. */
const TRUNK = /(?<=\d) ?\( ?0 ?\)/g;
/** The punctuation inside a phone number. */
const PUNCTUATION = /(?<=\d)[\s()./-]+(?=\d)/g;
