/**
 * Returns the URL of an AWS service in a region, or that of the environment variable.
 *
 * Source: https://docs.aws.amazon.com/general/latest/gr/rande.html
 *
 * @param service its name in the URL, such as `monitoring`
 * @param variable such as `AWS_ENDPOINT_URL_CLOUDWATCH`
 */
export const awsEndpoint = (service: string, variable: string, region: string): string => {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return process.env[variable] ?? `https://${service}.${region}.${suffix}/`;
};

/** Returns the URL of CloudWatch's API in a region. */
export const cloudWatchUrl = (region: string): string =>
  awsEndpoint('monitoring', 'AWS_ENDPOINT_URL_CLOUDWATCH', region);
