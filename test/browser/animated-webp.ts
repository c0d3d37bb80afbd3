/** One picture of an animation. */
export interface Frame {
  /** A WebP file, as Chromium's screenshots are. All frames of an animation have the same size. */
  readonly webp: Buffer;
  /** How long it is shown, in milliseconds. */
  readonly duration: number;
}

const ANIMATION = 0b10;
const DO_NOT_BLEND = 0b10;

const uint24 = (value: number): Buffer => {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
};

/** A RIFF chunk: its name, its size, and its data, padded to an even number of bytes. */
const chunk = (name: string, ...data: readonly Buffer[]): Buffer => {
  const header = Buffer.alloc(8);
  const size = data.reduce((total, { byteLength }) => total + byteLength, 0);
  header.write(name, 'latin1');
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, ...data, Buffer.alloc(size % 2)]);
};

/** Returns the chunk with a file's lossy picture. */
const pictureOf = (webp: Buffer): Buffer => {
  for (let at = 12; at < webp.byteLength; ) {
    const size = webp.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at, end);
    at = end;
  }
  throw new Error('A frame is not a lossy WebP picture.');
};

/** Returns a picture's width and height: 14 bits each, after the frame tag and the start code (RFC 6386, 9.1). */
const sizeOf = (picture: Buffer): readonly [width: number, height: number] => [
  picture.readUInt16LE(14) & 0x3fff,
  picture.readUInt16LE(16) & 0x3fff,
];

/**
 * Joins pictures to a WebP animation that repeats forever.
 *
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
export const animate = (frames: readonly Frame[]): Buffer => {
  const [first] = frames;
  if (first === undefined) throw new Error('An animation needs a frame.');
  const [width, height] = sizeOf(pictureOf(first.webp));
  const canvas = Buffer.concat([uint24(width - 1), uint24(height - 1)]);
  const origin = Buffer.concat([uint24(0), uint24(0)]);
  const pictures = frames.map(({ webp, duration }) =>
    chunk('ANMF', origin, canvas, uint24(duration), Buffer.from([DO_NOT_BLEND]), pictureOf(webp)),
  );
  const header = chunk('VP8X', Buffer.from([ANIMATION, 0, 0, 0]), canvas);
  const repeatForever = chunk('ANIM', Buffer.alloc(6));
  return chunk('RIFF', Buffer.from('WEBP', 'latin1'), header, repeatForever, ...pictures);
};
