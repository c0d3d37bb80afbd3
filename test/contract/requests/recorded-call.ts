/** The environment variable with the folder of the recorded calls. */
export const CALLS_FOLDER = 'PARLEY_RECORDED_CALLS';

/** A signed call of an AWS service, as it was sent. */
export interface RecordedCall {
  /** The service's name in the signature. */
  readonly service: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The header `x-amz-target`, or an empty string. */
  readonly target: string;
  /** Whether a client of the SDK sent it, and not Parley's own. */
  readonly isSdk: boolean;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}
