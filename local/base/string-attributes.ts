/** Returns the message attributes of SQS that have these strings as values. */
export const stringAttributes = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]));
