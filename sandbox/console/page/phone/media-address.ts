export interface MediaAddress {
  /** The target of the attachment's link. Undefined for anything but a web address, such as a `javascript:` URL. */
  readonly href: string | undefined;
  /** The last segment of the path, or the whole address if there is none. */
  readonly name: string;
  readonly host: string;
}

/** Describes the address of an attachment, which is untrusted. */
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

/** Decodes a path's segment. Returns one with a malformed percent sign unchanged. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
