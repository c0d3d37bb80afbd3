import { accountOf, changeAccount } from './account.ts';
import { photoFault } from './profile-photo.ts';
import type { Change, Moment, ServiceState } from './state.ts';

/** Contract, "Rules of use" 5: the countries for which the operator of the service supplies numbers. */
export const SUPPLIED_COUNTRIES = ['AR', 'BR'] as const;

/** A number to use: the customer's own landline or mobile, or one that the operator supplies. */
export type RequestedNumber =
  | { kind: 'landline'; number: string }
  /** When the platform was last installed on it; null for never. */
  | { kind: 'mobile'; number: string; platformLastInstalledAt: Date | null }
  | { kind: 'supplied'; country: string };

/** Contract, "Limits": the profile. */
export type Profile = {
  about: string;
  address: string;
  businessDescription: string;
  category: string;
  contactEmail: string;
  website: string;
  /** The image's bytes in base64. */
  photo: string;
};

/** Contract, "Rules of use" 4: what approval requires. */
export type ApprovalRequest = {
  businessAccountId: string;
  numbers: readonly RequestedNumber[];
  profile: Profile;
};

/** A request that passed the checks; the operator decides. */
export type Application = {
  readonly businessAccountId: string;
  /** The numbers that the account will have. */
  readonly numbers: readonly string[];
  readonly profile: Profile;
  readonly requestedAt: Date;
};

export type ApprovalOutcome =
  | { kind: 'pending'; application: Application }
  | { kind: 'already-approved' }
  | { kind: 'faulty'; faults: readonly string[] };

/** Asks for approval, which is a one-time step (contract, "Rules of use" 1). A new request replaces a pending one. */
export const requestApproval = (
  state: ServiceState,
  request: ApprovalRequest,
  { now }: Moment,
): Change<ApprovalOutcome> => {
  if (accountOf(state).approved) return { result: { kind: 'already-approved' }, events: [] };
  const photo = photoFault(Buffer.from(request.profile.photo, 'base64'));
  const faults = [
    ...request.numbers.flatMap((number, index) => numberFault(number, index, now)),
    ...(photo ? [photo] : []),
  ];
  if (faults.length > 0) return { result: { kind: 'faulty', faults }, events: [] };
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

/** The operator approves the account, with what was asked for, or takes the approval back. */
export const decideApproval = (state: ServiceState, approved: boolean): void => {
  const { application, profile } = accountOf(state);
  if (!approved) return void changeAccount(state, { approved, application: undefined });
  for (const number of application?.numbers ?? []) state.channels.set(number, { chatChannelNumber: number });
  changeAccount(state, { approved, application: undefined, profile: application?.profile ?? profile });
};

const numberFault = (requested: RequestedNumber, index: number, now: Date): string[] => {
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
        : [`${at}: numbers are supplied for ${SUPPLIED_COUNTRIES.join(' and ')} only; give a number of your own`];
  }
};

/** Contract, "Rules of use" 6, counted in calendar months. */
const isSixMonthsAgo = (installedAt: Date | null, now: Date): boolean => {
  if (installedAt === null) return true;
  const sixMonthsAgo = new Date(now);
  sixMonthsAgo.setUTCMonth(sixMonthsAgo.getUTCMonth() - 6);
  return installedAt <= sixMonthsAgo;
};

const suppliedNumber = (country: string, sequence: number): string =>
  `${country === 'BR' ? '+5511' : '+5411'}5000${String(sequence).padStart(4, '0')}`;
