import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's default chain of credential providers in the bundles. On Lambda, credentials are always in the
 * environment. The rest of the chain, with its clients of STS and SSO, would be loaded in each cold start for nothing.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, "Defined runtime environment variables"
 */
export const defaultProvider = fromEnv;
