import { Stack } from 'aws-cdk-lib';
import type {
  HttpRouteIntegrationBindOptions,
  HttpRouteIntegrationConfig,
  IHttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Permission } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
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

  constructor(handler: ParleyFunction) {
    super(ID, handler);
    this.#handler = handler;
  }

  override bind(options: HttpRouteIntegrationBindOptions): HttpRouteIntegrationConfig {
    return { ...super.bind(options), uri: this.#handler.live.functionArn };
  }

  /**
   * Lets the API invoke the function, with one permission for all routes: with one per route, the management API would
   * exceed the 20 KB of a function's policy.
   */
  protected override completeBind({ scope, route: { httpApi } }: HttpRouteIntegrationBindOptions): void {
    const sourceArn = Stack.of(scope).formatArn({
      service: 'execute-api',
      resource: httpApi.apiId,
      resourceName: '*/*',
    });
    const permission = { principal: new ServicePrincipal('apigateway.amazonaws.com'), sourceArn };
    this.#permit(httpApi, this.#handler, permission);
    if (this.#handler.live === this.#handler) return;
    const live = this.#permit(httpApi, this.#handler.live, permission);
    // The routes share the integration that the first of them creates.
    const created = scope.node.tryFindChild(ID);
    if (created instanceof Construct) created.node.addDependency(live);
  }

  /** Returns the permission of an API to invoke a function, which the first of its routes creates. */
  #permit(scope: IHttpApi, handler: IFunction, permission: Permission): IConstruct {
    const id = `Permission${handler.node.addr.slice(-8)}`;
    if (scope.node.tryFindChild(id) === undefined) handler.addPermission(id, { ...permission, scope });
    return scope.node.findChild(id);
  }
}
