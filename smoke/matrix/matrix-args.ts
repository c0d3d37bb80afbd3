import type { MatrixRequest } from './matrix-stacks.ts';
import { MATRIX_CONTEXT } from './variants.ts';

/** Returns the CDK's arguments that synthesize a stack of a matrix instead of the app's own. */
export const matrixArgs = (request: MatrixRequest): readonly string[] => [
  '--app',
  'node smoke/matrix/matrix-app.ts',
  '-c',
  `${MATRIX_CONTEXT}=${JSON.stringify(request)}`,
];
