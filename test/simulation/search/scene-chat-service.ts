import type { HttpAnswer, SimulatedChatService } from '../world/chat-service.ts';
import type { JournalCall } from '../world/journal.ts';
import type { CalledChatService } from '../world/send-process.ts';
import { recordOf } from './scene-view.ts';

/** A call of a sending endpoint, apart from who makes it and when. */
type RecordedCall = Pick<JournalCall, 'endpoint' | 'body' | 'effect' | 'isAnswered'>;

/** Returns the chat service as functions call it. It passes on each call of a sending endpoint, even one that is lost. */
export const recordingChatService = (
  service: SimulatedChatService,
  record: (call: RecordedCall, answer: HttpAnswer | undefined) => void,
): CalledChatService => {
  const pass = (
    { path, body, isAnswered }: Parameters<CalledChatService['lose']>[0],
    effect: RecordedCall['effect'],
    answer: HttpAnswer | undefined,
  ): void => {
    if (path !== 'message/v3' && path !== 'intent/v2') return;
    record({ endpoint: path, body: recordOf(body), effect, isAnswered }, answer);
  };
  return {
    post({ path, token, body, isAnswered }) {
      const before = service.effects.length;
      const answer = service.post(path, token, body);
      pass({ path, body, isAnswered }, service.effects[before], answer);
      return answer;
    },
    lose: (call) => pass(call, undefined, undefined),
  };
};
