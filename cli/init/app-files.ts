import cdkJson from '../../cdk.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { appReadme } from './app-readme.ts';
import { APP_SOURCE } from './app-source.ts';
import { DEPLOY_WORKFLOW } from './deploy-workflow.ts';
import { PACKAGE_VERSIONS } from './package-versions.ts';
import type { NewStages } from './stages.ts';

const { name: PARLEY, version: VERSION } = packageJson;

const LOCAL = '@parleyhq/local';

/** The packages of this version, as `npm run pack` names them. */
export const TARBALLS: readonly string[] = [PARLEY, LOCAL].map(
  (name) => `${name.slice(1).replace('/', '-')}-${VERSION}.tgz`,
);

/** The folder of a new app that contains the tarballs, if it does not install Parley from a registry. */
export const TARBALL_FOLDER = 'vendor';

export interface NewApp {
  /** The name of its folder. */
  readonly name: string;
  readonly stages: NewStages;
  /** Whether it installs Parley from tarballs in its own folder. */
  readonly hasTarballs: boolean;
}

/** Returns the text of each file of a new app, by its path. */
export const appFiles = ({ name, stages, hasTarballs }: NewApp): ReadonlyMap<string, string> =>
  new Map([
    ['package.json', toJson(newPackageJson(name, hasTarballs))],
    ['cdk.json', toJson(newCdkJson(stages))],
    ['bin/parley.ts', APP_SOURCE],
    ['README.md', appReadme(name, stages.dev.webhook.auth)],
    ['.gitignore', 'node_modules/\ncdk.out/\n.parley/\n'],
    ['.github/workflows/deploy.yml', DEPLOY_WORKFLOW],
  ]);

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const newPackageJson = (name: string, hasTarballs: boolean) => {
  const { 'aws-cdk': cdk, ...libraries } = PACKAGE_VERSIONS;
  const [parley, local] = hasTarballs ? TARBALLS.map((file) => `file:${TARBALL_FOLDER}/${file}`) : [VERSION, VERSION];
  return {
    name: packageName(name),
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: { start: 'parley-local', synth: 'cdk synth', diff: 'cdk diff', deploy: 'cdk deploy' },
    dependencies: { [PARLEY]: parley, ...libraries },
    devDependencies: { [LOCAL]: local, 'aws-cdk': cdk },
  };
};

/** Source: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const packageName = (folder: string): string => {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
  return name === '' || name === 'node-modules' ? `parley-app` : name;
};

/** With the feature flags of the repository, so that a new app's template is the one that is tested. */
const newCdkJson = (stages: NewStages) => {
  const { app, versionReporting, context } = cdkJson;
  const { stages: _, ...featureFlags } = context;
  return { app, versionReporting, context: { stage: 'dev', stages, ...featureFlags } };
};
