/** In what the workflows of the repository and of a new app differ. */
export interface DeployWorkflow {
  /** The command that tests the app before anything is deployed. */
  readonly test: string;
  /** The command that runs `parley`. */
  readonly parley: string;
  /** Whether it also tests pull requests. */
  readonly testsPullRequests: boolean;
}

/** Actions by the hash of a release's commit, because tags can be moved. */
const CHECKOUT = 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0';
const SETUP_NODE = 'actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0';
const CREDENTIALS = 'aws-actions/configure-aws-credentials@00943011d9042930efac3dcd3a170e4273319bc8 # v5.1.0';

const INSTALL = `      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
      - uses: ${SETUP_NODE}
        with:
          node-version: 24
          cache: npm
      - run: npm ci`;

/**
 * Returns the workflow for GitHub Actions that deploys an app stage by stage: tests, and for each stage the diff, the
 * deployment, and a check. It has no stored AWS credentials: GitHub's OIDC token gets temporary ones. The repository's
 * own workflow and that of a new app differ only in their commands.
 */
export const deployWorkflow = ({
  test,
  parley,
  testsPullRequests,
}: DeployWorkflow): string => `# See docs/delivery.md of Parley for the role and the environments that this workflow needs.
name: Deploy

on:${testsPullRequests ? '\n  pull_request:' : ''}
  push:
    branches: [main]
  workflow_dispatch:

permissions:
  contents: read

# One deployment at a time. A deployment that has started is never cancelled.
concurrency:
  group: deploy-\${{ github.event_name == 'pull_request' && github.ref || 'stages' }}
  cancel-in-progress: false

jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    steps:
${INSTALL}
      - run: ${test}

${jobsOf('dev', 'test', parley)}

${jobsOf('prod', 'deploy-dev', parley)}
`;

/** What both jobs of a stage have: an environment with a role in AWS, and that role's temporary credentials. */
const withRole = (stage: string, environment: string): string =>
  `    environment: ${environment}
    permissions:
      contents: read
      id-token: write
    env:
      STAGE: ${stage}
    steps:
${INSTALL}
      - uses: ${CREDENTIALS}
        with:
          role-to-assume: \${{ vars.AWS_ROLE_ARN }}
          aws-region: \${{ vars.AWS_REGION }}`;

const jobsOf = (stage: string, needs: string, parley: string): string =>
  `  diff-${stage}:
    # Without the repository's variable DEPLOY, nothing is deployed, for example in a fork.
    if: github.event_name != 'pull_request' && vars.DEPLOY == 'true'
    needs: ${needs}
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    # Needs no approval, so that reviewers of the deployment can see the diff. Its role is read-only.
${withRole(stage, `${stage}-diff`)}
      # Fails if a change would lose what parley.pins.json pins.
      - run: npx cdk diff "Parley-$STAGE" -c stage="$STAGE" 2>&1 | tee diff.txt
        shell: bash
      - if: always()
        run: |
          {
            echo "## Changes of the stage $STAGE"
            echo '~~~'
            tail -c 500000 diff.txt
            echo '~~~'
          } >> "$GITHUB_STEP_SUMMARY"

  deploy-${stage}:
    needs: diff-${stage}
    runs-on: ubuntu-24.04
    # Gradual rollouts take up to 20 more minutes. The credentials last for an hour.
    timeout-minutes: 60
${withRole(stage, stage)}
      - run: npx cdk deploy "Parley-$STAGE" --require-approval never -c stage="$STAGE"
      - run: ${parley} doctor --stage "$STAGE"
`.trimEnd();

/** The workflow of a new app. */
export const DEPLOY_WORKFLOW = deployWorkflow({
  test: 'npx cdk synth --quiet -c stage=dev',
  parley: 'npx --no -- parley',
  testsPullRequests: true,
});

/** The workflow of Parley's own repository. */
export const REPOSITORY_DEPLOY_WORKFLOW = deployWorkflow({
  test: 'npm test',
  parley: 'npm run parley --',
  // The workflow ci.yml tests them.
  testsPullRequests: false,
});
