import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { Faults } from '../faults/faults.ts';
import { faultyAnswer } from '../faults/faulty-answer.ts';
import { limitBody, type ReadBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { checkContacts } from '../service/check-contacts.ts';
import { type SendOutcome, sendIntent, sendMessage } from '../service/send.ts';
import { contractHeaders } from './contract-headers.ts';
import { refusalAnswer } from './refusal-answer.ts';
import { contactCheckRequest, intentRequest, messageRequest } from './requests.ts';

const addressed = z.object({ platformContactId: z.string() });

/** The three endpoints of the contract's "Endpoints", under their version. */
export const contractApi = (service: RunningService, faults: Faults): Hono => {
  const app = new Hono();
  app.use(service.callLog.middleware);
  const headers = contractHeaders(service);

  /** Every call of the API passes here, so this is where its answers are made to fail. */
  const endpoint = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    answer: (context: Context, request: z.output<Schema>, raw: unknown) => Response,
  ) =>
    app.post(path, headers, limitBody(), async (context) => {
      const body = await readBody(context, schema);
      const properAnswer = async () => (body.kind === 'read' ? answer(context, body.value, body.raw) : body.answer);
      const fault = faults.takeForAnswer({ endpoint: path.slice(1), contact: contactOf(body) });
      return fault === undefined ? properAnswer() : faultyAnswer(context, fault, properAnswer);
    });

  endpoint('/message/v3', messageRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendMessage(state, request, raw, moment)),
    ),
  );
  endpoint('/intent/v2', intentRequest, (context, request, raw) =>
    sendAnswer(
      context,
      service.apply((state, moment) => sendIntent(state, request, raw, moment)),
    ),
  );
  endpoint('/customer/checkChatContact', contactCheckRequest, (context, request) => {
    const outcome = checkContacts(service.state, request);
    if (outcome.kind === 'refused') return refusalAnswer(context, outcome.refusal);
    return context.json({ problems: null, result: outcome.result });
  });
  return app;
};

const contactOf = (body: ReadBody<unknown>): string | undefined => {
  const { data } = addressed.safeParse(body.kind === 'read' ? body.raw : undefined);
  return data?.platformContactId;
};

const sendAnswer = (context: Context, outcome: SendOutcome): Response =>
  outcome.kind === 'refused'
    ? refusalAnswer(context, outcome.refusal)
    : context.json({ id: outcome.id, problems: null });
