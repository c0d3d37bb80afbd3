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
  console.error(\`${command}: Node.js \${process.versions.node} is too old. Install Node.js ${node} or later.\`);
  process.exitCode = 5;
}
`;
