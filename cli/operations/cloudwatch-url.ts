/**
 * Returns the URL of CloudWatch's API in a region.
 *
 * Source: https://docs.aws.amazon.com/general/latest/gr/cw_region.html
 */
export const cloudWatchUrl = (region: string): string => {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return process.env.AWS_ENDPOINT_URL_CLOUDWATCH ?? `https://monitoring.${region}.${suffix}/`;
};
