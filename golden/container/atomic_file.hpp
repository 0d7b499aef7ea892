// Writing a file whole or not at all: the bytes go to a new file in the same folder, which then takes the
// name. Whatever fails before that, an old file of that name keeps its bytes and the new one is gone; also
// when the process is killed, where the file system has files without a name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::golden {

// Writes the pieces one after another, without joining them in memory. A link is followed; an existing file
// keeps its permissions. Refuses a name that belongs to a folder, a device or a pipe, a file without write
// permission, a folder that is missing or cannot be written, a full disk. The data is handed to the system,
// not synced to disk.
Expected<void> write_file_atomically(const std::filesystem::path& path,
                                     std::span<const std::span<const std::byte>> pieces);

Expected<void> write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
Expected<void> write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace pageproof::golden
