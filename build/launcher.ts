/** The Node.js of `@parleyhq/local`, which an app of `parley init` starts. */
const LOCAL_RUN_NODE = '24';

/**
 * Returns the text of a command's program, which starts it if Node.js is recent enough. A module imported statically
 * would fail in an older Node.js before the program could say why.
 *
 * @param target The path of the compiled command, relative to the program's folder.
 */
export const launcher = (command: string, { node, target }: { readonly node: string; readonly target: string }) =>
  `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor = 0] = ${JSON.stringify(node)}.split('.').map(Number);

if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  await import(${JSON.stringify(target)});
} else {
  console.error(\`${command}: Node.js \${process.versions.node} is too old. ${adviceFor(node)}\`);
  process.exitCode = 5;
}
`;

/** Names the version that also runs the local run first, so that nobody installs Node.js twice. */
const adviceFor = (node: string): string =>
  node === LOCAL_RUN_NODE
    ? `Install Node.js ${node} or later.`
    : `Install Node.js ${LOCAL_RUN_NODE}, which the local run also needs, or ${node} or later.`;
