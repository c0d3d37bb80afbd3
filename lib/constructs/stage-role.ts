import {
  type AddToPrincipalPolicyResult,
  type IGrantable,
  type IPrincipal,
  Policy,
  type PolicyStatement,
  type PrincipalPolicyFragment,
  Role,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role of a stage, whose permissions for optional parts have policies of their own.
 *
 * If a part is turned off, CloudFormation deletes its policy last. A statement in the role's common policy would be
 * removed before the function is updated, and during a gradual rollout, the earlier version would fail for minutes.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-monitor-stack.html
 */
export class StageRole extends Role {}

interface PolicyPlace {
  readonly scope: Construct;
  readonly id: string;
}

/** The permissions of a role for one part of the stage. */
export class RolePart implements IPrincipal {
  readonly grantPrincipal: IPrincipal = this;
  readonly assumeRoleAction: string;
  readonly policyFragment: PrincipalPolicyFragment;
  readonly role: StageRole;
  readonly name: string;
  readonly #place: PolicyPlace;

  /** @param place Where the policy is. @default the role */
  constructor(role: StageRole, name: string, place: PolicyPlace = { scope: role, id: name }) {
    this.role = role;
    this.name = name;
    this.assumeRoleAction = role.assumeRoleAction;
    this.policyFragment = role.policyFragment;
    this.#place = place;
  }

  addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    const { scope, id } = this.#place;
    const existing = scope.node.tryFindChild(id);
    const policy = existing instanceof Policy ? existing : new Policy(scope, id, { roles: [this.role] });
    policy.addStatements(statement);
    return { statementAdded: true, policyDependable: policy };
  }
}

/** Returns the grantee of permissions for an optional part: a separate policy of a stage's role, or the grantee itself. */
export const partOf = (grantee: IGrantable, name: string): IGrantable =>
  grantee.grantPrincipal instanceof StageRole ? new RolePart(grantee.grantPrincipal, name) : grantee;
