/** Addresses that a bus's rules post events to. */
export interface ApiDestinations {
  addConnection(arn: string, key: { readonly header: string; readonly value: string }): void;
  add(arn: string, destination: { readonly url: string; readonly connectionArn: string }): void;
  /** Posts an event. Throws when it is not answered with 2xx. */
  post(arn: string, event: string): Promise<void>;
}

/** EventBridge waits for five seconds. */
const TIMEOUT_MS = 5_000;

/**
 * Posts events as EventBridge's API destinations do.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
 */
export const createApiDestinations = (): ApiDestinations => {
  const connections = new Map<string, { readonly header: string; readonly value: string }>();
  const destinations = new Map<string, { readonly url: string; readonly connectionArn: string }>();
  return {
    addConnection(arn, key) {
      connections.set(arn, key);
    },
    add(arn, destination) {
      destinations.set(arn, destination);
    },
    async post(arn, event) {
      const destination = destinations.get(arn);
      const key = destination && connections.get(destination.connectionArn);
      if (!destination || !key) throw new Error(`${arn} is no API destination of this run.`);
      const response = await fetch(destination.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', [key.header]: key.value },
        body: event,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`It answered ${response.status}.`);
    },
  };
};
