import { imageSize } from 'image-size';
import { changeAccount, getAccount } from './account.ts';
import type { Application, Profile } from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';

/** The countries for which the operator supplies numbers. Source: contract, "Rules of use" 5. */
const SUPPLIED_COUNTRIES = ['AR', 'BR'] as const;

/** Source: contract, "Limits": square image, at least 192 by 192 pixels. */
const MIN_PHOTO_PIXELS = 192;

/** A requested number: the customer's own landline or mobile number, or one that the operator supplies. */
export type RequestedNumber =
  | { readonly kind: 'landline'; readonly number: string }
  /** When the chat platform was last installed on the number; null for never. */
  | { readonly kind: 'mobile'; readonly number: string; readonly platformLastInstalledAt: Date | null }
  | { readonly kind: 'supplied'; readonly country: string };

/** What approval requires. Source: contract, "Rules of use" 4. */
export interface ApprovalRequest {
  readonly businessAccountId: string;
  readonly numbers: readonly RequestedNumber[];
  readonly profile: Profile;
}

export type ApprovalOutcome =
  | { readonly kind: 'pending'; readonly application: Application }
  | { readonly kind: 'already-approved' }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Requests approval, a one-time step (contract, "Rules of use" 1). A new request replaces a pending one. */
export const requestApproval = (
  state: ServiceState,
  request: ApprovalRequest,
  { now }: Moment,
): Change<ApprovalOutcome> => {
  if (getAccount(state).approved) return { result: { kind: 'already-approved' }, events: [] };
  const problems = [
    ...request.numbers.flatMap((number, index) => numberProblems(number, index, now)),
    ...photoProblems(Buffer.from(request.profile.photo, 'base64')),
  ];
  if (problems.length > 0) return { result: { kind: 'invalid', problems }, events: [] };
  const application: Application = {
    businessAccountId: request.businessAccountId,
    numbers: request.numbers.map((number, index) =>
      number.kind === 'supplied' ? suppliedNumber(number.country, state.channels.size + index) : number.number,
    ),
    profile: request.profile,
    requestedAt: now,
  };
  changeAccount(state, { application });
  return { result: { kind: 'pending', application }, events: [] };
};

/** Records the operator's decision: approves the account with the requested numbers, or puts it in sandbox mode. */
export const decideApproval = (state: ServiceState, approved: boolean): void => {
  const { application, profile } = getAccount(state);
  if (!approved) return void changeAccount(state, { approved, application: undefined });
  for (const number of application?.numbers ?? []) state.channels.set(number, { chatChannelNumber: number });
  changeAccount(state, { approved, application: undefined, profile: application?.profile ?? profile });
};

const numberProblems = (requested: RequestedNumber, index: number, now: Date): string[] => {
  const at = `numbers.${index}`;
  switch (requested.kind) {
    case 'landline':
      return [];
    case 'mobile':
      return isSixMonthsAgo(requested.platformLastInstalledAt, now)
        ? []
        : [`${at}: a mobile number is accepted only if the platform was not installed on it for the last 6 months`];
    case 'supplied':
      return SUPPLIED_COUNTRIES.some((country) => country === requested.country)
        ? []
        : [`${at}: numbers are supplied only for ${SUPPLIED_COUNTRIES.join(' and ')}; use a number of your own`];
  }
};

/** Source: contract, "Rules of use" 6; counts calendar months. */
const isSixMonthsAgo = (installedAt: Date | null, now: Date): boolean => {
  if (installedAt === null) return true;
  const sixMonthsAgo = new Date(now);
  sixMonthsAgo.setUTCMonth(sixMonthsAgo.getUTCMonth() - 6);
  return installedAt <= sixMonthsAgo;
};

const suppliedNumber = (country: string, sequence: number): string =>
  `${country === 'BR' ? '+5511' : '+5411'}5000${String(sequence).padStart(4, '0')}`;

const photoProblems = (bytes: Uint8Array): string[] => {
  const size = isPng(bytes) || isJpeg(bytes) ? sizeOf(bytes) : undefined;
  if (size === undefined) return ['profile.photo: not a PNG or JPEG image; send one, encoded as base64'];
  const { width, height } = size;
  if (width !== height) return [`profile.photo: must be square; this one is ${width} by ${height}`];
  if (width < MIN_PHOTO_PIXELS) {
    return [`profile.photo: must be at least 192 by 192 pixels; this one is ${width} by ${height}`];
  }
  return [];
};

/** Reads the size from the image's header, because the file name and metadata are not reliable. */
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
