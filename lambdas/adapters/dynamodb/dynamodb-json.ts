/** Writes values as the SDK's types have them in DynamoDB's JSON, in which binary values are base64. */
export const toDynamodbJson = (input: object): string =>
  JSON.stringify(input, function (this: Record<string, unknown>, key, value) {
    // `value` would be what a buffer's `toJSON` returns.
    const binary = key === 'B' ? this[key] : undefined;
    return binary instanceof Uint8Array ? Buffer.from(binary).toString('base64') : value;
  });

/**
 * Reads DynamoDB's JSON. A string named `B` is always a binary value, because attributes are objects.
 *
 * @throws SyntaxError if the text is not JSON.
 */
// biome-ignore lint/suspicious/noExplicitAny: what DynamoDB answers is trusted to have the type of its operation
export const fromDynamodbJson = (text: string): any =>
  text.includes('"B":"')
    ? JSON.parse(text, (key, value) =>
        key === 'B' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value,
      )
    : JSON.parse(text);
