import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const resource = z.looseObject({
  cloudFormationType: z.string(),
  properties: z.record(z.string(), z.looseObject({ causesReplacement: z.string().optional() })),
});
const database = z.looseObject({
  schema: z.looseObject({ resource: z.looseObject({ entities: z.array(z.unknown()) }) }),
});

/**
 * Returns, for each type of resource, the properties whose change makes CloudFormation replace the resource: the
 * `createOnlyProperties` of CloudFormation's schemas, as in the database of the package `aws-cdk`.
 */
export function replacingPropertiesOfTypes(): ReadonlyMap<string, readonly string[]> {
  const folder = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));
  const { schema } = database.parse(JSON.parse(gunzipSync(readFileSync(join(folder, 'db.json.gz'))).toString()));
  return new Map(
    schema.resource.entities.flatMap((entity) => {
      const { data } = resource.safeParse(entity);
      if (!data) return [];
      const names = Object.entries(data.properties).flatMap(([name, { causesReplacement = 'no' }]) =>
        causesReplacement === 'no' ? [] : [name],
      );
      return [[data.cloudFormationType, names.toSorted()] as const];
    }),
  );
}
