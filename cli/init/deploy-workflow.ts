/** A new app's workflow for GitHub Actions. It has no stored AWS credentials: GitHub's OIDC token gets temporary ones. */
export const DEPLOY_WORKFLOW = `name: Deploy

on:
  pull_request:
  push:
    branches: [main]
  workflow_dispatch:
    inputs:
      stage:
        description: The stage to deploy
        type: choice
        options: [dev, prod]
        default: dev

permissions:
  contents: read

jobs:
  synth:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npx cdk synth --quiet -c stage="$STAGE"
        env:
          STAGE: \${{ inputs.stage || 'dev' }}

  deploy:
    if: github.event_name != 'pull_request'
    needs: synth
    runs-on: ubuntu-latest
    environment: \${{ inputs.stage || 'dev' }}
    concurrency: deploy-\${{ inputs.stage || 'dev' }}
    permissions:
      contents: read
      # For the OIDC token.
      id-token: write
    env:
      STAGE: \${{ inputs.stage || 'dev' }}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - uses: aws-actions/configure-aws-credentials@v5
        with:
          role-to-assume: \${{ vars.AWS_ROLE_ARN }}
          aws-region: \${{ vars.AWS_REGION }}
      - run: npx cdk diff -c stage="$STAGE"
      - run: npx cdk deploy --require-approval never -c stage="$STAGE"
      - run: npx parley doctor --stage "$STAGE"
`;
