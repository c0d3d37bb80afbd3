import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findFreePort, installJava, installPython, type RunningReference, startReference } from './installed-tool.ts';

/** The independent implementations of AWS services. */
export const REFERENCES = ['DynamoDB Local', 'ElasticMQ', 'moto'] as const;
export type ReferenceName = (typeof REFERENCES)[number];

/**
 * Installs an implementation into the cache, and starts it.
 *
 * @throws ToolMissingError if a tool is missing, or if the implementation does not start.
 */
export const startInstalled = (name: ReferenceName, cacheFolder: string): Promise<RunningReference> => {
  switch (name) {
    case 'DynamoDB Local':
      return startDynamoDbLocal(cacheFolder);
    case 'ElasticMQ':
      return startElasticMq(cacheFolder);
    case 'moto':
      return startMoto(cacheFolder);
  }
};

/**
 * Starts DynamoDB Local, AWS's own implementation for development.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.DownloadingAndRunning.html
 */
const startDynamoDbLocal = async (cacheFolder: string): Promise<RunningReference> => {
  const needs = 'DynamoDB Local needs Java 17 or later and Maven';
  const jars = await installJava('dynamodb-local', needs, cacheFolder);
  const native = jars.split(':').find((jar) => /\.(so|dylib|dll)$/.test(jar) && jar.includes(NATIVE_LIBRARY)) ?? '';
  const port = await findFreePort();
  return startReference(needs, port, [
    'java',
    ...[`-Dsqlite4java.library.path=${dirname(native)}`, '-cp', jars],
    ...['com.amazonaws.services.dynamodbv2.local.main.ServerRunner', '-inMemory', '-sharedDb', '-disableTelemetry'],
    ...['-port', String(port)],
  ]);
};

const NATIVE_LIBRARY = { linux: 'linux-amd64', darwin: 'osx', win32: 'win32-x64' }[String(process.platform)] ?? 'none';

const startElasticMq = async (cacheFolder: string): Promise<RunningReference> => {
  const needs = 'ElasticMQ needs Java 17 or later and Maven';
  const jars = await installJava('elasticmq', needs, cacheFolder);
  const port = await findFreePort();
  const config = join(cacheFolder, 'elasticmq', `${port}.conf`);
  await writeFile(
    config,
    `node-address { host = 127.0.0.1, port = ${port} }
rest-sqs { bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
rest-stats.enabled = false`,
  );
  return startReference(needs, port, ['java', `-Dconfig.file=${config}`, '-cp', jars, 'org.elasticmq.server.Main']);
};

const startMoto = async (cacheFolder: string): Promise<RunningReference> => {
  const needs = 'moto needs Python 3.10 or later';
  const python = await installPython('moto', needs, cacheFolder);
  const port = await findFreePort();
  return startReference(needs, port, [python, '-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)]);
};
