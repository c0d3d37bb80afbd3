import { draft, useDraft } from '../state/draft.ts';
import { mediaWarning } from './request-problems.ts';

const MEDIA_NAMES = { imageURL: 'Image URL', audioURL: 'Audio URL', fileURL: 'File URL' };
const MEDIA = ['imageURL', 'audioURL', 'fileURL'] as const;

/**
 * The media of a request.
 *
 * @param id the prefix of the fields' ids
 */
export const MediaFields = ({ id }: { id: string }) => {
  const media = useDraft((state) => state.media);
  return (
    <details class="more">
      <summary>Media</summary>
      {MEDIA.map((name) => (
        <label class="field" key={name}>
          {MEDIA_NAMES[name]}
          <input
            type="url"
            placeholder="https://"
            value={media[name]}
            aria-describedby={`${id}-${name}-warning`}
            onInput={({ currentTarget }) => draft.set({ media: { ...media, [name]: currentTarget.value } })}
          />
          <span class="field-error" id={`${id}-${name}-warning`}>
            {mediaWarning(media[name])}
          </span>
        </label>
      ))}
    </details>
  );
};
