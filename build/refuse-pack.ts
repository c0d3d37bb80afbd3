// `npm run pack` runs this, too, because npm takes the script `prepack` for what comes before the script `pack`.
if (!process.env.npm_command?.startsWith('run')) {
  console.error(
    'The repository cannot be packed, because Node.js does not run TypeScript under node_modules. ' +
      'Run npm run pack, which compiles it.',
  );
  process.exitCode = 1;
}
