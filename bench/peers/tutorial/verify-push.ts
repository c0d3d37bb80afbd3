import { cleanupMiddlewares } from '@aws-lambda-powertools/commons';
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createRemoteJWKSet, jwtVerify } from 'jose';

export interface VerifyPushOptions {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** The service account that signs the requests. */
  readonly email: string;
}

type Request = Parameters<
  NonNullable<MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>['before']>
>[0];

/** A middleware that answers 401 unless the request has a valid Pub/Sub push token, verified as jose documents it. */
export const verifyPush = ({
  jwksUrl,
  issuer,
  audience,
  email,
}: VerifyPushOptions): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => {
  const jwks = createRemoteJWKSet(new URL(jwksUrl));
  const verify = async (authorization = ''): Promise<void> => {
    const { payload } = await jwtVerify(authorization.replace(/^Bearer /, ''), jwks, { issuer, audience });
    if (payload.email !== email || payload.email_verified !== true) throw new Error('The token is of another account.');
  };
  return {
    async before(request: Request) {
      try {
        await verify(request.event.headers.authorization);
        return undefined;
      } catch {
        // A response from `before` skips the other middlewares, so Powertools' documentation asks for this call.
        await cleanupMiddlewares(request);
        return { statusCode: 401, body: JSON.stringify({ message: 'Unauthorized' }) };
      }
    },
  };
};
