import type { CommandDefinition } from './command.ts';
import { broadcast } from './commands/broadcast.ts';
import { cancel } from './commands/cancel.ts';
import { checkContacts } from './commands/contacts-check.ts';
import { conversation } from './commands/conversation.ts';
import { listDeadLettersCommand, redriveDeadLettersCommand, showDeadLetterCommand } from './commands/dead-letters.ts';
import { doctor } from './commands/doctor.ts';
import { erase } from './commands/erase.ts';
import { optIn, optOut } from './commands/opt-in.ts';
import { send } from './commands/send.ts';
import { status } from './commands/status.ts';
import { tokenSet } from './commands/token-set.ts';
import { listUncertain, settle } from './commands/uncertain-sends.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  send,
  broadcast,
  status,
  cancel,
  conversation,
  checkContacts,
  optIn,
  optOut,
  tokenSet,
  listDeadLettersCommand,
  showDeadLetterCommand,
  redriveDeadLettersCommand,
  listUncertain,
  settle,
  erase,
  doctor,
];
