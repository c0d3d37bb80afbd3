export interface Changes {
  /** The paths of the files that changed. */
  readonly changedFiles: readonly string[];
  /** CHANGELOG.md before and after. */
  readonly before: string;
  readonly after: string;
}

/** The files that list what is public. */
const PUBLIC_SURFACE =
  /^(test\/unit\/house\/public-surface\/[^/]+\.txt|docs\/(events\.schema|send-request\.schema|management-api)\.json)$/;

/** Returns the changed files that list what is public, if nothing was added under Unreleased. */
export const missingFromChangelog = ({ changedFiles, before, after }: Changes): readonly string[] => {
  const known = new Set(linesOf(unreleased(before)));
  if (linesOf(unreleased(after)).some((line) => !known.has(line))) return [];
  return changedFiles.filter((file) => PUBLIC_SURFACE.test(file));
};

const unreleased = (changelog: string): string =>
  /^## Unreleased$(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog)?.[1] ?? '';

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');
