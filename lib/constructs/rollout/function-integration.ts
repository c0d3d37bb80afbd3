import { Stack } from 'aws-cdk-lib';
import type { HttpRouteIntegrationBindOptions, HttpRouteIntegrationConfig } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ParleyFunction } from '../parley-function.ts';

const ID = 'Integration';

/**
 * Passes an HTTP API's requests to a function, through its alias if it has one.
 *
 * With an alias, the API may still invoke the function itself. Otherwise, turning rollouts on or off would replace one
 * permission with another, and the API would answer 500 until CloudFormation has created the new one.
 */
export class FunctionIntegration extends HttpLambdaIntegration {
  readonly #handler: ParleyFunction;
  #created: Construct | undefined;

  constructor(handler: ParleyFunction) {
    super(ID, handler);
    this.#handler = handler;
  }

  override bind(options: HttpRouteIntegrationBindOptions): HttpRouteIntegrationConfig {
    return { ...super.bind(options), uri: this.#handler.live.functionArn };
  }

  protected override completeBind(options: HttpRouteIntegrationBindOptions): void {
    super.completeBind(options);
    if (this.#handler.live === this.#handler) return;
    const { route, scope } = options;
    const id = 'LivePermission';
    this.#handler.live.addPermission(id, {
      scope,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(route).formatArn({
        service: 'execute-api',
        resource: route.httpApi.apiId,
        resourceName: `*/*${route.path ?? ''}`,
      }),
    });
    // The routes share the integration that the first of them creates.
    const created = scope.node.tryFindChild(ID);
    if (created instanceof Construct) this.#created = created;
    this.#created?.node.addDependency(scope.node.findChild(id));
  }
}
