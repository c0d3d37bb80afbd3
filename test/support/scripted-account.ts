import type { AwsAccount, StackResource, StackState } from '../../smoke/aws-account.ts';

interface ScriptedStack extends StackState {
  resources: readonly StackResource[];
  failures: readonly StackResource[];
}

type Call = (input: Readonly<Record<string, unknown>>) => unknown;

/** An account whose stacks a test makes up, and which records what it is asked to do. */
export interface ScriptedAccount extends AwsAccount {
  readonly stacks: Map<string, ScriptedStack>;
  /** What AWS answers, by operation or path. */
  readonly answers: Map<string, Call>;
  readonly log: string[];
  /** What `cdk deploy` does. */
  onDeploy: (stackName: string, args: readonly string[]) => void;
}

export const resource = (
  logicalId: string,
  type: string,
  { status = 'CREATE_COMPLETE', reason = '' }: Partial<Pick<StackResource, 'status' | 'reason'>> = {},
): StackResource => ({ logicalId, type, id: `${logicalId}-id`, status, reason });

export const awsError = (name: string, message = name): Error => Object.assign(new Error(message), { name });

export const createScriptedAccount = (): ScriptedAccount => {
  const stacks = new Map<string, ScriptedStack>();
  const answers = new Map<string, Call>();
  const log: string[] = [];
  const byNameOrId = (stack: string) =>
    [...stacks].find(([name, { stackId }]) => name === stack || stackId === stack)?.[1];
  const answerTo = (operation: string, input: object) => {
    const answer = answers.get(operation);
    if (answer === undefined) throw new Error(`The test has no answer to ${operation}.`);
    return answer({ ...input });
  };
  const account: ScriptedAccount = {
    account: '111122223333',
    region: 'eu-west-1',
    credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
    stacks,
    answers,
    log,
    onDeploy() {},
    async runCdk(args) {
      const [, stackName = ''] = args;
      log.push(`deploy ${stackName}`);
      account.onDeploy(stackName, args);
    },
    async findStack(name) {
      const stack = stacks.get(name);
      return stack?.status === 'DELETE_COMPLETE' ? undefined : stack;
    },
    stackNames: async () => [...stacks].flatMap(([name, { status }]) => (status === 'DELETE_COMPLETE' ? [] : [name])),
    resources: async (stack) => byNameOrId(stack)?.resources ?? [],
    failures: async (stack) => byNameOrId(stack)?.failures ?? [],
    async setProtection(name, isProtected) {
      log.push(`protection of ${name}: ${isProtected}`);
      const stack = stacks.get(name);
      if (stack) stacks.set(name, { ...stack, isProtected });
    },
    async deleteStack(name) {
      const stack = stacks.get(name);
      if (stack?.isProtected) throw new Error(`${name} is protected.`);
      log.push(`delete ${name}`);
      if (stack) stacks.set(name, { ...stack, status: 'DELETE_COMPLETE' });
    },
    async call(_service, operation, input) {
      const [, name = ''] = /\.(\w+)$/.exec(operation) ?? [];
      return answerTo(name, input);
    },
    get: async (_service, path) => answerTo(path, {}),
  };
  return account;
};

export const stack = (name: string, parts: Partial<ScriptedStack> = {}): ScriptedStack => ({
  stackId: `arn:aws:cloudformation:eu-west-1:111122223333:stack/${name}/1`,
  status: 'CREATE_COMPLETE',
  isProtected: false,
  resources: [],
  failures: [],
  ...parts,
});
