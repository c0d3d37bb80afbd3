/** What a user entered. */
export interface RequestFields {
  readonly text: string;
  readonly template: string;
  /** Of the template, by name. */
  readonly values: ReadonlyMap<string, string>;
  readonly mediaUrls: readonly string[];
}

/** Why a request cannot be sent, by the name of the variable, and `undefined` for the request as a whole. */
export const problemsOf = ({
  text,
  template,
  values,
  mediaUrls,
}: RequestFields): ReadonlyMap<string | undefined, string> => {
  const problems = new Map<string | undefined, string>();
  for (const [name, value] of values) {
    if (value.trim() === '')
      problems.set(name, `Enter a value for \${${name}}. The chat service rejects empty values.`);
  }
  if (text.trim() === '' && template === '' && mediaUrls.every((url) => url === '')) {
    problems.set(undefined, 'Enter text, choose a template, or add media.');
  }
  return problems;
};

/** Returns why Parley will refuse a media address; undefined for none and for an https URL. */
export const mediaWarning = (url: string): string | undefined =>
  url === '' || URL.parse(url)?.protocol === 'https:'
    ? undefined
    : 'Media needs an https URL. Parley will refuse this one with MEDIA_UNSUPPORTED.';

/** Which of the two contents Parley sends: free-form text while the window is open, and otherwise the template. */
export const contentToSend = (
  { text, template }: Pick<RequestFields, 'text' | 'template'>,
  isWindowOpen: boolean,
): 'text' | 'template' | 'refused' => {
  if (template !== '' && (text.trim() === '' || !isWindowOpen)) return 'template';
  return isWindowOpen ? 'text' : 'refused';
};
