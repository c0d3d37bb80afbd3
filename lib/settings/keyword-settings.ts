import { z } from 'zod';
import { type Keywords, MAX_KEYWORD_CHARACTERS, normalizeKeyword } from '../../lambdas/domain/keywords/keywords.ts';

/** The usual opt-out keywords of each language. Words that can also be an answer, such as CANCEL, are not among them. */
const OPT_OUT_KEYWORDS = {
  de: ['STOP', 'STOPP', 'ABMELDEN'],
  en: ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'OPT OUT', 'OPTOUT'],
  es: ['STOP', 'BAJA', 'DAR DE BAJA', 'PARAR'],
  fr: ['STOP', 'ARRET', 'DESABONNER'],
  it: ['STOP', 'DISISCRIVIMI'],
  pt: ['STOP', 'SAIR', 'PARAR', 'PARE', 'DESCADASTRAR'],
} as const;

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'pt'] as const satisfies readonly (keyof typeof OPT_OUT_KEYWORDS)[];

const words = (sample: string, meaning: string) =>
  z
    .array(
      z
        .string()
        .max(MAX_KEYWORD_CHARACTERS)
        .refine((word) => normalizeKeyword(word) !== ''),
    )
    .default([])
    .meta({ description: `a list of texts with letters or digits, such as ["${sample}"]: ${meaning}` });

/** A confirmation is one short message. */
const MAX_CONFIRMATION_CHARACTERS = 500;

/** The setting `keywords`. */
export const keywordSettings = z
  .strictObject({
    languages: z
      .array(z.enum(LANGUAGES))
      .default([])
      .meta({ description: `a list of languages (${LANGUAGES.join(', ')}) whose usual opt-out keywords count` }),
    optOut: words('STOP', 'more messages by which users opt out'),
    optIn: words('START', 'messages by which users opt in'),
    buttons: z.boolean().optional().meta({
      description: 'true if a button that the user taps counts as if the user had written its text; omit it if not',
    }),
    confirmation: z
      .string()
      .max(MAX_CONFIRMATION_CHARACTERS)
      .refine((text) => text.trim() !== '' && text.isWellFormed())
      .optional()
      .meta({
        description:
          `a text of 1 to ${MAX_CONFIRMATION_CHARACTERS} characters, such as "You will get no more messages from us.": ` +
          'what Parley sends to a user who opts out by keyword; omit it to send nothing',
      }),
  })
  .refine(({ languages, optOut }) => languages.length + optOut.length > 0)
  .refine((given) => {
    const { optOut, optIn } = keywordsOf(given);
    return !optIn.some((word) => optOut.includes(word));
  })
  .meta({
    description:
      'an object with languages, optOut, or both, and, optionally, buttons, confirmation, and optIn, which must not list an opt-out ' +
      "keyword: a message that is exactly one of the keywords is recorded as the user's opt-out or opt-in; omit it to " +
      'record none',
  });

/** Returns the keywords of a stage, normalized. */
export const keywordsOf = ({
  languages,
  optOut,
  optIn,
  buttons,
}: {
  readonly languages: readonly (keyof typeof OPT_OUT_KEYWORDS)[];
  readonly optOut: readonly string[];
  readonly optIn: readonly string[];
  readonly buttons?: boolean | undefined;
}): Keywords => ({
  optOut: [...new Set([...languages.flatMap((one) => OPT_OUT_KEYWORDS[one]), ...optOut].map(normalizeKeyword))],
  optIn: [...new Set(optIn.map(normalizeKeyword))],
  ...(buttons && { buttons }),
});
