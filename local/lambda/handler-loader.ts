import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A function's handler as this runtime calls it: the answer is returned, not called back. */
export type Handler = (event: unknown, context: object) => unknown;

/** A handler that cannot be loaded; `name` is Lambda's error type. */
class HandlerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Loads the export that a handler string such as `index.handler` or `folder/index.handler` names.
 *
 * Files are tried as Lambda's own runtime tries them; Node tells an ES module from a CommonJS one by its content.
 *
 * @throws HandlerError named as Lambda names it, or whatever the module itself throws.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
 */
export const loadHandler = async (taskRoot: string, handler: string): Promise<Handler> => {
  const [, moduleName, exportPath] = /^([^.]*)\.(.*)$/.exec(basename(handler)) ?? [];
  if (moduleName === undefined || exportPath === undefined || handler.includes('..')) {
    throw new HandlerError('Runtime.MalformedHandlerName', `'${handler}' is not a valid handler name.`);
  }
  const stem = resolve(taskRoot, dirname(handler), moduleName);
  const file = ['.js', '.mjs', '.cjs'].map((extension) => stem + extension).find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw new HandlerError('Runtime.ImportModuleError', `Error: Cannot find module '${moduleName}'`);
  }
  const loaded: unknown = await import(pathToFileURL(file).href);
  const found = exportPath.split('.').reduce((value: unknown, key) => property(value, key), loaded);
  if (isHandler(found)) return found;
  throw new HandlerError('Runtime.HandlerNotFound', `${handler} is undefined or not exported`);
};

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
