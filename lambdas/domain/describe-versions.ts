import { presentMedia, readEventContent } from './event-content.ts';
import type { Instant } from './instant.ts';
import { isLaterVersion, type MessageVersion } from './message-version.ts';

/** The maximum size of the earlier versions in an answer, which Lambda limits to 6 MB. */
const MAX_VERSION_BYTES = 1_000_000;

/** A version as the management API shows it. */
interface VersionRecord {
  readonly modifiedAt: Instant;
  readonly text?: string | undefined;
  readonly media?: ReturnType<typeof presentMedia>;
  readonly body?: string;
}

/** What is stored of a message with its latest version. */
interface StoredVersions {
  readonly body?: string | undefined;
  readonly modifiedAt?: Instant | undefined;
  readonly versions?: ReadonlySet<string> | undefined;
}

export const isEdited = ({ versions }: StoredVersions): boolean => versions !== undefined && versions.size > 0;

/**
 * Describes all versions of a message, the oldest first. Returns undefined if there is only one.
 *
 * @param earlier the earlier versions, by digest
 */
export const describeVersions = (
  { body, modifiedAt, versions = new Set() }: StoredVersions,
  earlier: ReadonlyMap<string, MessageVersion>,
): VersionRecord[] | undefined => {
  if (versions.size === 0 || body === undefined || modifiedAt === undefined) return undefined;
  const stored = [...versions].flatMap((digest) => earlier.get(digest) ?? []);
  const latestFirst = stored.toSorted((one, other) => (isLaterVersion(one, other) ? -1 : 1));
  let bytes = 0;
  const described = latestFirst.map((version) => {
    bytes += Buffer.byteLength(version.body);
    return bytes > MAX_VERSION_BYTES ? { modifiedAt: version.modifiedAt } : describeVersion(version);
  });
  return [...described.toReversed(), describeVersion({ body, modifiedAt })];
};

const describeVersion = ({ body, modifiedAt }: MessageVersion): VersionRecord => {
  const { text, media } = readEventContent(body);
  return { modifiedAt, text, media: presentMedia(media), body };
};
