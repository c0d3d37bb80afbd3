import { deployPath } from '../../../cli/init/deploy-path.ts';
import { TOKEN_HEADER } from '../../../cli/init/init-options.ts';
import { withGenerated } from '../../../lib/documents/markdown.ts';
import { PLACEHOLDERS } from '../../../lib/settings/placeholders.ts';

/** How the operator's command is run in a clone of the repository. */
export const CLONE_PARLEY = 'npm run --silent parley --';

/** Returns docs/first-deployment.md with the steps of every kind of authentication. */
export const firstDeploymentPage = (page: string): string =>
  withGenerated(
    page,
    `${deployPath(CLONE_PARLEY, [
      {
        kind: 'pubsub-jwt',
        audience: PLACEHOLDERS.audience('dev'),
        serviceAccountEmail: PLACEHOLDERS.serviceAccountEmail,
      },
      { kind: 'standard-webhooks' },
      { kind: 'shared-token', header: TOKEN_HEADER },
      { kind: 'sns', topicArn: 'TOPIC-ARN' },
    ])}\n`,
  );
