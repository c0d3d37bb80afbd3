import { imageSize } from 'image-size';

/** Contract, "Limits": square image, at least 192 by 192 pixels. */
export const MIN_PHOTO_PIXELS = 192;

/** What is wrong with the bytes as a profile photo, as a sentence; undefined when nothing is. */
export const photoFault = (bytes: Uint8Array): string | undefined => {
  const size = isPng(bytes) || isJpeg(bytes) ? sizeOf(bytes) : undefined;
  if (size === undefined) return 'profile.photo: is no PNG or JPEG image; send one, encoded as base64';
  const { width, height } = size;
  const found = `this one is ${width} by ${height}`;
  if (width !== height) return `profile.photo: must be square; ${found}`;
  if (width < MIN_PHOTO_PIXELS) return `profile.photo: must be at least 192 by 192 pixels; ${found}`;
  return undefined;
};

/** Reads the image's own header: what a file is called, or says of itself elsewhere, proves nothing. */
const sizeOf = (bytes: Uint8Array): { width: number; height: number } | undefined => {
  try {
    return imageSize(bytes);
  } catch {
    return undefined;
  }
};

export const isPng = (bytes: Uint8Array): boolean => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47]);
const isJpeg = (bytes: Uint8Array): boolean => startsWith(bytes, [0xff, 0xd8, 0xff]);

const startsWith = (bytes: Uint8Array, magic: readonly number[]) => magic.every((byte, at) => bytes[at] === byte);
