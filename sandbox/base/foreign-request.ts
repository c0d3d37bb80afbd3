/** The headers that identify the host that a request is for, and the page, if any, that sent it. */
export interface SourceHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

export interface OwnAddress {
  /** The port that the server listens on. */
  readonly port: number;
  /** Further names of this machine besides its loopback names, without a port, such as a tunnel's. @default none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Whether the request is for a page that other sites may link to. @default false */
  readonly isLink?: boolean;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Decides whether a local server may answer a request. Any page in a browser can send requests to this machine, so a
 * server must refuse those from pages of other sites. A page cannot change `Host`, which also reveals a foreign host
 * name that resolves to this machine, `Origin`, or `Sec-Fetch-Site`.
 *
 * A `Host` without a port is accepted: some programs omit it, but a browser does so only for port 80.
 *
 * @returns why the request is refused and what to do, as sentences; undefined if it may be answered
 * Source: https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export const explainForeignRequest = (
  headers: SourceHeaders,
  { port, allowedHosts = [], isLink = false }: OwnAddress,
): string | undefined => {
  const host = headers.host?.toLowerCase() ?? '';
  const [, name = '', givenPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  const isLoopback = LOOPBACK_NAMES.includes(name) && (givenPort === undefined || Number(givenPort) === port);
  if (!isLoopback && !allowedHosts.some((allowed) => allowed.toLowerCase() === name)) {
    return (
      `This server runs on a developer's machine and answers only requests to 127.0.0.1:${port} or localhost:${port}, ` +
      `but this one is to "${host}". Use one of these addresses. To let a tunnel in, see the option --allow-host.`
    );
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return `This server does not answer pages of other sites, such as ${origin}. Call it from a program instead.`;
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none' || site === 'same-origin' || isLink) return undefined;
  return 'This server does not answer pages of other sites. Open its address yourself, or call it from a program.';
};
