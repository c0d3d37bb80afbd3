package parley.examples;

import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** CSV files that spreadsheets export: UTF-8 or UTF-16, with commas, semicolons, or tabs as delimiters. */
final class CsvFile {
  private static final CsvMapper CSV =
      CsvMapper.builder()
          .enable(CsvParser.Feature.SKIP_EMPTY_LINES, CsvParser.Feature.TRIM_SPACES)
          .enable(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
          .build();

  private CsvFile() {}

  /**
   * Reads all rows after the header, so that a fault in the last one is found before anything is queued.
   *
   * @throws IOException for a file that is not UTF-8 or UTF-16, or a row without the columns of the header
   */
  static List<Map<String, String>> readRows(Path file) throws IOException {
    var text = decode(file);
    var header = text.lines().findFirst().orElse("");
    var schema = CsvSchema.emptySchema().withHeader().withColumnSeparator(delimiterOf(header));
    try (var rows = CSV.readerForMapOf(String.class).with(schema).<Map<String, String>>readValues(text)) {
      // Spreadsheets write rows of only delimiters.
      return rows.readAll().stream()
          .filter(row -> row.values().stream().anyMatch(value -> !value.isEmpty()))
          .toList();
    }
  }

  private static String decode(Path file) throws IOException {
    var bytes = Files.readAllBytes(file);
    try {
      // Reports what is not valid, where Files.readString and new String would replace it.
      var text = charsetOf(bytes).newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8. Export it as \"CSV UTF-8\".", e);
    }
  }

  private static Charset charsetOf(byte[] bytes) {
    var mark = bytes.length < 2 ? 0 : (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    return mark == 0xfeff || mark == 0xfffe ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8;
  }

  private static char delimiterOf(String header) {
    return List.of(',', ';', '\t').stream()
        .max(Comparator.comparingLong(delimiter -> header.chars().filter(each -> each == delimiter).count()))
        .orElseThrow();
  }
}
