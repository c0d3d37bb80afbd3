/**
 * The placeholders that `parley init` writes and that cdk.json has for `prod`. A production stage rejects each of them.
 * None can be a real value: names are under domains reserved for examples, and the number ends in zeros.
 */
export const PLACEHOLDERS = {
  baseUrl: 'https://chat-service.example',
  chatPlatform: 'chat-platform.example',
  chatChannelNumber: '+5491100000000',
  audience: (stage: string) => `parley-${stage}.example`,
  serviceAccountEmail: 'chat-events@example-project.iam.gserviceaccount.com',
} as const;

/**
 * Top-level and second-level domains that are reserved for examples and tests, the project of the service account above,
 * and this machine.
 *
 * Sources: https://www.rfc-editor.org/rfc/rfc2606 and https://www.rfc-editor.org/rfc/rfc6761
 */
const PLACEHOLDER_DOMAINS = [
  'example',
  'test',
  'invalid',
  'localhost',
  'example.com',
  'example.net',
  'example.org',
  'example-project.iam.gserviceaccount.com',
];

/**
 * The accounts of the examples in AWS's documentation and in ours.
 *
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
 */
const PLACEHOLDER_ACCOUNTS = ['111122223333', '123456789012'];

/** Whether a topic is in an account of the documentation. */
export const isPlaceholderTopic = (arn: string): boolean => PLACEHOLDER_ACCOUNTS.includes(arn.split(':')[4] ?? '');

/** Whether a name of the platform is the placeholder, in upper or lower case. */
export const isPlaceholderPlatform = (name: string): boolean => name.toLowerCase() === PLACEHOLDERS.chatPlatform;

/** Whether the host of a URL, an email address, or a name itself is reserved for examples, or is this machine. */
export const isPlaceholderAddress = (address: string): boolean => {
  const host = hostOf(address);
  return isLoopback(host) || PLACEHOLDER_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));
};

const isLoopback = (host: string): boolean => /^127\./.test(host) || ['[::1]', '0.0.0.0', '[::]'].includes(host);

/** Without the dot that may end a complete domain name. */
const hostOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? address.slice(address.lastIndexOf('@') + 1)).toLowerCase().replace(/\.$/, '');
