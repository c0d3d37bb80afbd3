export interface MediaAddress {
  /** Where the attachment's link leads. Undefined for anything but a web address, such as a script. */
  readonly href: string | undefined;
  /** The last segment of the path, or the whole address if there is none. */
  readonly name: string;
  readonly host: string;
}

/** Describes the address of an attachment, which anyone may have written. */
export const describeMediaAddress = (address: string): MediaAddress => {
  const url = URL.parse(address);
  if (url === null) return { href: undefined, name: address, host: 'invalid URL' };
  const isWebAddress = url.protocol === 'https:' || url.protocol === 'http:';
  return {
    href: isWebAddress ? address : undefined,
    name: decoded(url.pathname.split('/').at(-1) ?? '') || address,
    host: url.host || url.protocol,
  };
};

/** Decodes a path's segment; one with a malformed percent sign stays as it is. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
