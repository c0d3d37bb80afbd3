/** The versions that a new app uses, besides Parley's own: those that this version of Parley was tested with. */
export const PACKAGE_VERSIONS = {
  'aws-cdk': '2.1148.1',
  'aws-cdk-lib': '2.276.0',
  constructs: '10.8.1',
} as const;
