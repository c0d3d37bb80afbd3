/** What spreadsheets show in place of a value, in English, Spanish, Portuguese, French, and German. */
const ERROR_CELL = new RegExp(
  `^(#(${[
    'n/[ad]|nv|(div|¡div)/0!|¡?ref!?|value!|name\\?|num!|null!|spill!|calc!|field!|blocked!|connect!|busy!|error!',
    '¡valor!|¿?nombre\\?|¡num!|¡nulo!|¡desbordamiento!|valor!|nome\\?|núm!|nulo!|despejar!',
    'valeur!|nom\\?|nombre!|nul!|bezug!|wert!|zahl!|überlauf!',
  ].join('|')})|#{3,}|#?getting_data|loading\\.\\.\\.)$`,
  'iu',
);

/**
 * What programs write in place of a missing value, or show of one that they cannot. In their spelling, because `Null` is
 * also a surname.
 */
const MISSING = /^(NULL|null|\\N|undefined|None|NaN|nan|N\/A|n\/a|-+|Err:\d{3}|\[object \w+\]|\{\{.*\}\})$/;

/** A number whose last digits a spreadsheet has lost. */
const ROUNDED = /^[+-]?\d([.,]\d+)?e\+\d{2,3}$/i;

/**
 * Returns what is wrong with the value of a cell that a message uses, as the end of a sentence: what no user should
 * read. Undefined for any other value.
 */
export const cellFault = (value: string): string | undefined => {
  if (value.includes('\ufffd')) return 'has a character that another program could not read; export the file again';
  if (ERROR_CELL.test(value)) return 'is a spreadsheet error; fix the formula, and export the file again';
  if (MISSING.test(value)) return 'is what a program writes in place of a missing value; correct the cell';
  if (ROUNDED.test(value)) return 'is a number that a spreadsheet has rounded; format it as text and export it again';
  return undefined;
};
