/** The format of a name that a field or an event can have. Anything else may be text from a user, or a phone number. */
const NAME = /^(?!.*\d{4})[A-Za-z_][\w-]{0,39}$/;

/** Whether a text can be the name of a field or of an event, and not text from a user or a phone number. */
export const isFieldName = (text: string): boolean => NAME.test(text);
