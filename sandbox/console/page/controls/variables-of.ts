/** The variables of a template's text, each once, in their order. */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(/\$\{([^${}]+)\}/g), ([, name = '']) => name)),
];
